import { type ParamValues, t } from '../../../api/index.ts'

/** Parameters of x.commits_list. */
export const historyFilter = {
  ref_name: t.string({ description: 'Branch, tag, commit, or range `a..b`; default the default branch.' }),
  since: t.datetime({ description: 'Committed at this time or later.' }),
  until: t.datetime({ description: 'Committed at this time or before.' }),
  path: t.string({ description: 'A file or directory that the commits change.' }),
  author: t.string({ description: "Part of the author's name or e-mail." }),
  all: t.boolean({ description: 'The commits of every branch and tag.' }),
  with_stats: t.boolean({ description: 'With the numbers of added and removed lines.' }),
  first_parent: t.boolean({ description: 'Follow only the first parent of a merge.' }),
  trailers: t.boolean({ description: "With the trailers of the commits' messages." }),
  order: t.oneOf(['default', 'topo'], { description: 'By date, or children before their parents.' }),
}
export type HistoryFilter = ParamValues<typeof historyFilter>
