import type { Tx } from '../../../infra/database/index.ts'
import { now } from '../../../infra/database/index.ts'
import { BadLine, type ImportedLine, type ImportLine, type Platform } from '../../../platform/index.ts'
import { holdProject, updateProject } from '../core/store.ts'
import { settingsAfter, type WritableParams, writableParams } from '../settings/params.ts'
import { projectSettings } from '../settings/settings.ts'

const featureWords: Readonly<Record<number, string>> = { 0: 'disabled', 10: 'private', 20: 'enabled', 30: 'public' }

/** Settings that say what of this server a project uses, and are not taken from another one. */
const ownSettings: readonly string[] = ['runners_token', 'mirror_user_id', 'mirror', 'max_artifacts_size']

/** The settings that a line has and that are valid here; the others stay. */
function validSettings(line: ImportedLine): WritableParams {
  const found: Record<string, unknown> = {}
  for (const name of Object.keys(projectSettings)) {
    const given = line[name]
    if (given == null || ownSettings.includes(name)) continue
    const value = name.endsWith('_access_level') && typeof given === 'number' ? featureWords[given] : given
    const problems: [] = []
    const read = writableParams[name as keyof typeof writableParams].read(value, name, problems)
    if (problems.length === 0) found[name] = read
  }
  return found as WritableParams
}

/** Changes the settings of a project as far as they are valid. */
async function changeSettings({ clock }: Platform, tx: Tx, projectId: number, params: WritableParams): Promise<void> {
  const row = await holdProject(tx, projectId)
  if (!row) throw new BadLine('the project does not exist any more')
  let settings = row.settings
  for (const [name, value] of Object.entries(params)) {
    const problems = {}
    const after = settingsAfter(settings, { [name]: value }, problems, now(clock))
    if (Object.keys(problems).length === 0) settings = after
  }
  await updateProject(tx, projectId, { settings: JSON.stringify(settings) })
}

/** Imports settings that are members of a line under the names of the API (contract 14, self, project_feature, ci_cd_settings). */
export const importProjectSettings: ImportLine = async (platform, into, line) => {
  const { default_git_depth, ...settings } = line
  const params = validSettings({ ...settings, ci_default_git_depth: default_git_depth ?? line.ci_default_git_depth })
  return (tx) => changeSettings(platform, tx, into.id, params)
}

/** Imports the settings of Auto DevOps (contract 14, auto_devops). */
export const importAutoDevops: ImportLine = async (platform, into, { enabled, deploy_strategy }) => {
  const params = validSettings({ auto_devops_enabled: enabled, auto_devops_deploy_strategy: deploy_strategy })
  return (tx) => changeSettings(platform, tx, into.id, params)
}

/** Imports how images are cleaned up (contract 14, container_expiration_policy). */
export const importContainerPolicy: ImportLine = async (platform, into, line) => {
  const members = ['cadence', 'enabled', 'keep_n', 'older_than', 'name_regex', 'name_regex_keep']
  const given = Object.fromEntries(members.flatMap((name) => (line[name] == null ? [] : [[name, line[name]]])))
  const problems: [] = []
  const name = 'container_expiration_policy_attributes'
  const policy = writableParams[name].read(given, name, problems)
  if (policy === undefined || problems.length > 0) throw new BadLine('the policy is invalid')
  return (tx) => changeSettings(platform, tx, into.id, { [name]: policy })
}
