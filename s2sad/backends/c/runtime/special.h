/* Which headers hold the functions that C's library has none of, or not these? */
#ifndef S2SAD_SPECIAL_H
#define S2SAD_SPECIAL_H

#include "erf.h"
#include "gamma.h"

#endif
