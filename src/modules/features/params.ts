import { type Param, type ParamValues, t } from '../../api/index.ts'

const longestGroup = 255

/** Text that counts as absent when it is blank: some clients send every member (contract 05, 2.26). */
function optionalText(options: { description: string; maxLength?: number }): Param<string, false> {
  const text = t.string(options)
  const read: Param<string>['read'] = (value, name, problems) => text.read(value, name, problems)?.trim() || undefined
  return { ...text, read, emptyIsAbsent: true }
}

const list = (of: string) => optionalText({ description: `${of}, separated by commas.` })

/** Parameters of 2.26. */
export const featureChange = {
  value: t.required(t.string({ description: '`true`, `false`, a percentage, `opt_out` or `remove_opt_out`.' })),
  key: optionalText({ description: 'Which percentage: `percentage_of_time` (default) or `percentage_of_actors`.' }),
  feature_group: optionalText({ maxLength: longestGroup, description: 'Name of a feature group.' }),
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
