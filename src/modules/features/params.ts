import { type ParamValues, t } from '../../api/index.ts'

const list = (of: string) => t.string({ description: `${of}, separated by commas.` })

/** Parameters of 2.26. */
export const featureChange = {
  value: t.required(t.string({ description: '`true`, `false`, a percentage, `opt_out` or `remove_opt_out`.' })),
  key: t.string({ description: 'Which percentage: `percentage_of_time` (default) or `percentage_of_actors`.' }),
  feature_group: t.string({ description: 'Name of a feature group.' }),
  user: list('Usernames'),
  group: list('Full paths of groups'),
  namespace: list('Paths of groups or personal namespaces'),
  project: list('Full paths of projects'),
  repository: list('Paths of repositories, such as `g/p.git`'),
  force: t.boolean({ description: 'Allows the name of a licensed feature.' }),
}
export type FeatureChange = ParamValues<typeof featureChange>

/** The parameters that name targets, in the order in which `key` is checked against them. */
export const targetNames = ['feature_group', 'user', 'group', 'namespace', 'project', 'repository'] as const
