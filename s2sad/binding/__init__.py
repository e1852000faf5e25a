"""What ties programs of the IR to the calls and the tensors of the user?"""
