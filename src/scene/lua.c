// SPDX-License-Identifier: Apache-2.0
// Scenes as Lua scripts.
#include "scene/scene.h"

bool stic_scene_has_lua(void)
{
    return false;
}

SticStatus stic_scene_run_script(SticBuilder* builder, const SticText* text,
                                 const SticSceneOptions* options)
{
    (void)text;
    (void)options;
    return stic_error_set_at(builder->error, STIC_UNSUPPORTED, builder->file, 0, 0,
                             "this library was built without Lua; it reads the text form of "
                             "scenes only, which begins with '%s'",
                             STIC_SCENE_MARK);
}
