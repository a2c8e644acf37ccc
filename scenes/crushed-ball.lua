-- A ball lies on the floor, and a plate comes down on it.
--
-- Shows: a step that has no solution. As soon as the plate touches the ball there is no velocity of
-- the ball that keeps both contacts from closing: the necessary condition of Acary and Cadoux
-- fails. The policy `continue` counts such steps; with `stop` the run ends there and says so.
-- Reference: the plate touches after 0.1 s, the number of unsolved steps follows.

title "crushed ball"
local h, gap, speed = 1e-3, 0.01, 0.1
material{name = "steel", density = 7800, friction = 0.3}
floor{material = "steel"}
body{name = "ball", position = {0, 0, 0.1}, shape = shape.sphere{radius = 0.1, material = "steel"}}
body{name = "plate", kind = "prescribed", position = {0, 0, 0.25 + gap}, velocity = {0, 0, -speed},
     shape = shape.box{size = {1, 1, 0.1}, material = "steel"}}
solver "nsgs" {max_iterations = 1000}
run{step = h, duration = 0.2, policy = "continue"}
history{quantity = "unsolved"}

check{name = "solved until the plate touches", quantity = "unsolved", at = 0.099, value = 0,
      tolerance = 0, source = "gap / speed = 0.1 s"}
check{name = "no step after that", quantity = "unsolved", value = 100, tolerance = 1,
      source = "Acary and Cadoux 2013, 4.4: condition A' fails"}
