-- The tippe top turns upside down while it spins.
--
-- Shows: Coulomb-Contensou friction, which couples sliding and drilling; without it the top would
-- not rise.
-- Reference: the axis passes the horizontal at 0.9729 s (Möller's thesis 6.5, from steps of 1e-5 s;
-- model of Leine and Glocker), and points down after that.

title "tippe top"
system "tippe-top"
scheme "moreau"
run{step = 5e-5, duration = 2, short_duration = 0.98}
output{every = 100}
history{name = "axis", quantity = "axis_z", component = "z"}

local source = "Möller's thesis 6.5; limit of several schemes"
check{name = "axis is horizontal", quantity = "axis_z", component = "z", at = 0.9729, value = 0,
      tolerance = 5e-3, source = source}
check{name = "top stands on its stem", quantity = "axis_z", component = "z", at = 2,
      value = -1, tolerance = 0.05, source = source}
