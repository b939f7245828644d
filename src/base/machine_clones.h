// SPDX-License-Identifier: Apache-2.0
#pragma once

/* A function that is compiled for the vectors of each kind of machine; which one runs is chosen when the
program is loaded. With -ffp-contract=off all give the same bits. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define COTREE_CLONES __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define COTREE_CLONES
#endif
