// How the search orders what it finds: Sphinx's own weights, but pages that tell what to do come before pages of figures.
var Scorer = {
  score: ([page, , , , score]) => score + (/^(how-to|tutorial)\//.test(page) ? 20 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
