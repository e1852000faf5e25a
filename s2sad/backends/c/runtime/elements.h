/* What is there for one element at a time? All that loops of programs may call. */
#ifndef S2SAD_ELEMENTS_H
#define S2SAD_ELEMENTS_H

#include "bits.h"
#include "compare.h"
#include "convert.h"
#include "exp.h"
#include "folds.h"
#include "hyperbolic.h"
#include "integer.h"
#include "log.h"
#include "narrow.h"
#include "power.h"
#include "remainder.h"
#include "special.h"
#include "trig.h"

#endif
