import { type ParamValues, t } from '../../../api/index.ts'

/** Parameters of x.repo_compare. */
export const comparisonParams = {
  from: t.required(t.string({ description: 'Branch, tag or commit to start from.' })),
  to: t.required(t.string({ description: 'Branch, tag or commit to compare with it.' })),
  straight: t.boolean({ description: 'Compare with `from` itself, not with the last common commit.' }),
  from_project_id: t.integer({ description: 'Project of `from`, if it is another one of the fork network.' }),
  unidiff: t.boolean({ description: 'With the two lines that name the files before each patch.' }),
}
export type ComparisonParams = ParamValues<typeof comparisonParams>

/** Parameters of x.repo_contributors. */
export const contributorParams = {
  ref: t.string({ description: 'Branch, tag or commit; default the default branch.' }),
  order_by: t.oneOf(['commits', 'name', 'email'], { description: 'Default `commits`.' }),
  sort: t.oneOf(['asc', 'desc'], { description: 'Default `asc`.' }),
}
export type ContributorParams = ParamValues<typeof contributorParams>
