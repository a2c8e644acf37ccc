-- A segmental stone arch carries a block on its crown.
--
-- Shows: masonry under load; the helper arch{} with an angle below 180 degrees.
-- Reference: the thrust line of this arch stays inside, so it stands: nothing moves.

title "stone bridge"
local radius, thickness, width, angle = 10, 1, 4, 1.6
material{name = "stone", density = 2400, friction = 0.7}
local blocks = arch{radius = radius, thickness = thickness, width = width, blocks = 21,
                    angle = angle, material = "stone"}
-- the key block has a top of straight sides: a cart of two axles stands on its corners
local top = (radius + thickness / 2) * math.cos(angle / 42)
body{name = "load", position = {0, 0, top + 0.25},
     shape = shape.box{size = {0.6, 1, 0.5}, material = "stone"}}
scheme "koziara"
solver "auto" {tolerance = 1e-9}
run{step = 1e-3, duration = 1, short_duration = 0.1, policy = "continue"}
output{every = 10}
history{quantity = "position", body = "load", component = "z"}
history{quantity = "kinetic"}

check{name = "the load stays", quantity = "position", body = "load", component = "z",
      value = top + 0.25, tolerance = 2e-5,
      source = "rest, after the first step has built up the forces"}
check{name = "nothing moves", quantity = "kinetic", value = 0, tolerance = 1e-6, source = "rest"}
check{name = "nothing moves in the short version", quantity = "kinetic", at = 0.1, value = 0,
      tolerance = 1e-6, source = "rest"}
