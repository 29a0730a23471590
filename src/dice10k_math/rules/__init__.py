"""Rules as data: the frozen `Ruleset`, its rules files and the built-in games."""
