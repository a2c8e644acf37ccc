// SPDX-License-Identifier: Apache-2.0
// The viewer's page, bundled from apps/view by the build, cut where the data go.
#ifndef STIC_CLI_VIEW_PAGE_H
#define STIC_CLI_VIEW_PAGE_H

extern const unsigned char cli_page_before[]; ///< text, ended by a zero byte
extern const unsigned char cli_page_after[];  ///< text, ended by a zero byte

#endif
