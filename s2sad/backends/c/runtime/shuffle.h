/* How are lanes of two vectors of one type picked? Lanes of x count first. */
#ifndef S2_SHUFFLE_H
#define S2_SHUFFLE_H

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define SHUFFLE(x, y, ...) __builtin_shuffle(x, y, (__typeof__(x == y)){__VA_ARGS__})
#endif

#endif
