/* How large are the tiles and blocks of a product of matrices, on each kind of machine?
 *
 * A tile is what stays in registers: up to S2_ROWS rows of S2_VECTORS vectors; where there are
 * few rows, up to S2_FEW rows of S2_WIDE vectors, so that a step has work enough to hide the
 * latency of a multiplication. Sums over S2_DEPTH elements of the inner axis are taken at a time:
 * a panel of so many by S2_ROWS stays in the first cache, S2_BLOCK rows of them in the second.
 */
#ifndef S2_TILES_H
#define S2_TILES_H

#if defined(__AVX512F__) /* 32 registers */
#define S2_VECTOR_BYTES 64
#define S2_ROWS 14
#define S2_VECTORS 2
#define S2_FEW 6
#define S2_WIDE 4
#elif defined(__aarch64__) /* 32 registers */
#define S2_VECTOR_BYTES 16
#define S2_ROWS 8
#define S2_VECTORS 3
#define S2_FEW 6
#define S2_WIDE 4
#elif defined(__AVX__) /* 16 registers */
#define S2_VECTOR_BYTES 32
#define S2_ROWS 6
#define S2_VECTORS 2
#define S2_FEW 3
#define S2_WIDE 4
#else /* 16 registers */
#define S2_VECTOR_BYTES 16
#define S2_ROWS 6
#define S2_VECTORS 2
#define S2_FEW 3
#define S2_WIDE 4
#endif

/* DO(1), DO(2), ... DO(S2_ROWS). */
#define S2_UP_TO_3(DO) DO(1) DO(2) DO(3)
#define S2_UP_TO_6(DO) S2_UP_TO_3(DO) DO(4) DO(5) DO(6)
#define S2_UP_TO_8(DO) S2_UP_TO_6(DO) DO(7) DO(8)
#define S2_UP_TO_14(DO) S2_UP_TO_8(DO) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14)
#define S2_UP_TO(rows, DO) S2_JOIN(S2_UP_TO_, rows)(DO)
#define S2_JOIN(a, b) a##b
#define S2_EACH_ROWS(DO) S2_UP_TO(S2_ROWS, DO)
#define S2_EACH_FEW(DO) S2_UP_TO(S2_FEW, DO)

#define S2_DEPTH 320         /* elements of the inner axis in a block */
#define S2_BLOCK 168         /* rows of A in a block */
#define S2_CHUNK 256         /* columns after which a block is finished and handed on */
#define S2_MANY_COLUMNS 256  /* from which on all panels get rows of B ... */
#define S2_TOGETHER 8        /* ... so many at a time */
#define S2_TILE_ROWS 1024    /* rows and columns of C that a task computes, at most ... */
#define S2_TILE_COLUMNS 1024
#define S2_TILE_LEAST 96     /* ... and that are worth one */
#define S2_IN_PLACE 48       /* rows up to which B is not packed where its rows lie whole */
#define S2_SHALLOW 48        /* depth up to which it is not either */
#define S2_A_IN_PLACE 64     /* columns up to which A is not packed, or four times as many */
#define S2_TURNED_ROWS 64    /* rows up to which these, not columns, may become lanes */
#define S2_DOTS 4            /* rows or columns up to which dot products need no packing ... */
#define S2_LONG_DOTS 1024    /* ... and depth from which that holds for ... */
#define S2_DOT_LINES 16      /* ... so many of both, which share ... */
#define S2_DOT_DEPTH 1024    /* ... so much of the inner axis at a time */
#define S2_PRODUCT_WORTH 262144 /* multiplications worth a thread of their own ... */
#define S2_WORTH 65536       /* ... or steps that pack and unpack */

/* Convolutions. */
#define S2_SLIDE 1024            /* elements of a frame over which filters slide at a time */
#define S2_LANE_DEPTH 512        /* taps of all channels, where lanes are filters, at most ... */
#define S2_LEAST_ROWS 4          /* ... windows that follow each other, at least ... */
#define S2_LANE_SUMS 16384       /* ... and sums that are turned at a time */
#define S2_PATCHES 512           /* columns of patches that a task packs, at most */
#define S2_COLUMN_LINES 160      /* taps whose columns are added onto frames at a time, at most ... */
#define S2_COLUMN_BLOCK 65536    /* ... and elements of these */
#define S2_STRIP_ELEMENTS 65536  /* of a turned image, and of turned filters, at most ... */
#define S2_STRIP_IMAGES 4        /* ... of so many groups of images, at least */
#define S2_GATHER_COST 4         /* of packing 4 elements of patches, in multiplications of vectors */
#define S2_DOT_COST 8            /* of 4 multiplications of vectors by dot products */
#define S2_DOT_IMAGES 65536      /* elements of the images that are dealt with at a time */
#define S2_MOST_PARTS 16         /* sums over images that are added at the end, at most ... */
#define S2_PART_WORK 1048576     /* ... the multiplications of each, at least ... */
#define S2_PART_ELEMENTS 2097152 /* ... and their elements */

#endif
