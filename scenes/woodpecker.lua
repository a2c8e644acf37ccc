-- The woodpecker toy: a sleeve and a bird come down a pole in jerks.
--
-- Shows: a registered model with three frictional contacts; sticking, sliding and impacts in each
-- period of 0.146 s.
-- Reference: height and angle of the bird in the first 0.1 s, from two schemes with a step of 1e-6
-- s (Möller's thesis 6.4; Glocker's model).

title "woodpecker toy"
system "woodpecker"
scheme "moreau"
run{step = 1e-5, duration = 0.5, short_duration = 0.1}
output{every = 50}
history{name = "height", quantity = "q", component = 1}
history{name = "sleeve", quantity = "q", component = 2}
history{name = "bird", quantity = "q", component = 3}

local source = "Möller's thesis 6.4; limit of two schemes"
for _, row in ipairs{{0.02, -4.373548e-3, -0.452310}, {0.05, -4.407447e-3, -0.392983},
                     {0.07, -4.696855e-3, -0.053158}, {0.10, -7.067e-3, 0.0077}} do
    check{name = "height", quantity = "q", component = 1, at = row[1], value = row[2],
          tolerance = 4e-6, source = source}
    check{name = "angle of the bird", quantity = "q", component = 3, at = row[1], value = row[3],
          tolerance = 3e-4, source = source}
end
