// SPDX-License-Identifier: Apache-2.0
// Where a varied structure stops standing: direct programs for loads, a search for anything else.
#ifndef STIC_CLI_LIMIT_SEARCH_H
#define STIC_CLI_LIMIT_SEARCH_H

#include "limit_scene.h"

/// A limit of one kind of cone.
typedef struct CliLimit {
    SticLimitOutcome outcome;
    double stands;    ///< value at which there are forces in equilibrium; not finite: none is known
    double falls;     ///< value at which a motion shows that there are none; as above
    double residual;  ///< of these forces
    int32_t programs; ///< solved
} CliLimit;

/// How to search.
typedef struct CliLimitSearch {
    CliVaried varied;
    double between[2]; ///< ends of the search
    int32_t facets;
    double tolerance; ///< of the value, relative
} CliLimitSearch;

/// Whether a program gives the limit at once.
bool cli_limit_is_direct(const CliLimitSearch* search);
/// Whether a smaller cone stands no further than a larger one.
bool cli_limit_in_order(const CliLimitSearch* search, const CliLimit limit[STIC_LIMIT_CONE_COUNT]);
/// The limit for a kind of cones.
CliExit cli_limit_find(const CliLimitSearch* search, SticLimitCone cone, CliLimit* found);
/// Forces and motion at a limit, exact cones: `value` is where the structure falls, or the factor of
/// a load.
CliExit cli_limit_motion(const CliLimitSearch* search, double value, CliStructure* structure,
                         SticLimitResult* result);

#endif
