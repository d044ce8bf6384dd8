import { type ParamValues, t } from '../../api/index.ts'

export const branchFilter = {
  search: t.string({ description: 'Part of the name; `^` and `$` anchor it, `*` stands for anything.' }),
  regex: t.string({ description: 'RE2 pattern that the name must match.' }),
  sort: t.oneOf(['name', 'name_asc', 'updated_asc', 'updated_desc']),
  diverging_commit_counts: t.boolean({
    description: 'With the numbers of commits that each branch has and the default branch has not, and the reverse.',
  }),
}
export type BranchFilter = ParamValues<typeof branchFilter>

export const newBranch = {
  branch: t.required(t.string({ blank: false, description: 'Name of the new branch.' })),
  ref: t.required(t.string({ blank: false, description: 'Branch, tag or commit to start from.' })),
}
export type NewBranch = ParamValues<typeof newBranch>
