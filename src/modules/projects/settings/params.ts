import { type Param, type ParamValues, type Problems, t } from '../../../api/index.ts'
import {
  changedValues,
  differing,
  paramsOf,
  settingProblems,
  visibilityLevels,
} from '../../../platform/settings/index.ts'
import { changePolicy, policyParam } from './container-policy.ts'
import { changePackagesPolicy, packagesPolicyParam } from './packages-policy.ts'
import {
  featureSwitches,
  type ProjectSettings,
  projectSettingDefaults,
  projectSettings,
  settingOf,
  storedSettings,
} from './settings.ts'

type Switches = Record<keyof typeof featureSwitches, Param<boolean, false>>

const switchParams = Object.fromEntries(
  Object.entries(featureSwitches).map(([name, level]) => [
    name,
    t.boolean({ description: `Older form of ${level}, which wins when both are given` }),
  ]),
) as Switches

/** The attributes of a project that can be set on creation and later (contract 21, x.projects_create, x.projects_update). */
export const writableParams = {
  name: t.string(),
  path: t.string(),
  default_branch: t.string({ description: 'Must exist, except on creation' }),
  description: t.nullable(t.string()),
  visibility: t.oneOf(visibilityLevels),
  topics: t.array(t.string({ maxLength: 255 }), { commaSeparated: true }),
  tag_list: t.array(t.string({ maxLength: 255 }), { commaSeparated: true, description: 'Older name of topics' }),
  repository_storage: t.string({ description: 'For administrators; from others it is ignored' }),
  avatar: t.file({ description: 'A picture; the empty text removes it' }),
  container_expiration_policy_attributes: policyParam,
  packages_cleanup_policy_attributes: packagesPolicyParam,
  emails_disabled: t.boolean({ description: 'Opposite of emails_enabled, which wins' }),
  public_builds: t.boolean({ description: 'Older name of public_jobs' }),
  ...switchParams,
  ...paramsOf(projectSettings),
}

export type WritableParams = ParamValues<typeof writableParams>

/** The access levels that the older booleans mean. Packages that are on keep their level (contract 23). */
function switched(params: WritableParams, before: Partial<ProjectSettings>): Record<string, unknown> {
  const entries = Object.entries(featureSwitches).flatMap(([name, level]) => {
    const on = params[name as keyof typeof featureSwitches]
    const isKept = name === 'packages_enabled' && on === true && settingOf({ settings: before }, level) !== 'disabled'
    return on === undefined || isKept ? [] : [[level, on ? 'enabled' : 'disabled'] as const]
  })
  return Object.fromEntries(entries)
}

/** Every setting in a request, under its stored name. */
function givenSettings(params: WritableParams, before: Partial<ProjectSettings>): Record<string, unknown> {
  const { emails_disabled: emailsDisabled, public_builds: publicBuilds } = params
  const given: Record<string, unknown> = {
    ...switched(params, before),
    ...(emailsDisabled === undefined ? {} : { emails_enabled: !emailsDisabled }),
    ...(publicBuilds === undefined ? {} : { public_jobs: publicBuilds }),
  }
  for (const name of Object.keys(storedSettings)) {
    const value = (params as Record<string, unknown>)[name]
    if (value !== undefined) given[name] = value
  }
  return given
}

/**
 * The settings of a project after a request, as its row stores them: only what differs from the defaults.
 * @param problems collects the violations of the rules of the settings
 */
export function settingsAfter(
  before: Partial<ProjectSettings>,
  params: WritableParams,
  problems: Problems,
  now: string,
): Partial<ProjectSettings> {
  const given = givenSettings(params, before)
  Object.assign(problems, settingProblems(storedSettings, given))
  const after = changedValues(storedSettings, { ...projectSettingDefaults, ...before }, given)
  const policy = params.container_expiration_policy_attributes
  if (policy) {
    const current = after.container_expiration_policy as ProjectSettings['container_expiration_policy']
    after.container_expiration_policy = changePolicy(current, policy, problems, now)
  }
  const ofPackages = params.packages_cleanup_policy_attributes
  if (ofPackages) {
    const current = after.packages_cleanup_policy as ProjectSettings['packages_cleanup_policy']
    after.packages_cleanup_policy = changePackagesPolicy(current, ofPackages, now)
  }
  return differing(after, projectSettingDefaults)
}

/** The topics in a request without duplicates; undefined without either parameter. */
export function topicsOf(params: Pick<WritableParams, 'topics' | 'tag_list'>): string[] | undefined {
  const given = params.topics ?? params.tag_list
  return given && [...new Set(given.map((topic) => topic.trim()).filter((topic) => topic !== ''))]
}
