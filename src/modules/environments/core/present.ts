import { type Actor, computed, forms, from, nullable, object, of, type Static, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { BasicProject, type Project, presentBasicProject } from '../../projects/index.ts'
import { DeploymentOfEnvironment } from '../deployments/present.ts'
import { newestDeployment } from '../deployments/store.ts'
import type { EnvironmentRow } from '../tables.ts'
import { EnvironmentBasic } from './basic.ts'

type ProjectView = { project: Static<typeof BasicProject> }
const text = Type.String()
const shown = of<EnvironmentRow, ProjectView>()

const own = of<EnvironmentRow>().fields({
  ...EnvironmentBasic.fields,
  tier: text,
  state: text,
  auto_stop_at: forms.nullableTimestamp,
  description: forms.nullableString,
  auto_stop_setting: text,
})

/** An environment alone (contract 24, x.environments_get). */
export const EnvironmentDetail = object(
  'EnvironmentDetail',
  of<EnvironmentRow & { last: Static<typeof DeploymentOfEnvironment> | null }>(),
  { ...own, last_deployment: from(nullable(DeploymentOfEnvironment), 'last') },
)

/** An environment (contract 24, Environment). */
export const Environment = object('Environment', shown, {
  ...own,
  project: computed(BasicProject, (_row, { project }) => project),
})
export type PresentedEnvironment = Static<typeof Environment>

/** Presents environments of one project, which is loaded once. */
export async function presentEnvironments(
  platform: Platform,
  project: Project,
  actor: Actor,
  rows: readonly EnvironmentRow[],
): Promise<PresentedEnvironment[]> {
  if (rows.length === 0) return []
  const view = { project: await presentBasicProject(platform, project, actor) }
  return rows.map((row) => Environment.present(row, view))
}

export async function presentEnvironment(
  platform: Platform,
  project: Project,
  actor: Actor,
  row: EnvironmentRow,
): Promise<PresentedEnvironment> {
  const view = { project: await presentBasicProject(platform, project, actor) }
  return Environment.present(row, view)
}

/** Presents one environment with its newest deployment. */
export async function presentEnvironmentDetail(
  platform: Platform,
  project: Project,
  reader: Actor,
  row: EnvironmentRow,
): Promise<Static<typeof EnvironmentDetail>> {
  const newest = await newestDeployment(platform.database.read, row.id)
  const view = { platform, project, reader }
  const [last = null] = newest ? await DeploymentOfEnvironment.presentAll([newest], view) : []
  return EnvironmentDetail.present({ ...row, last })
}
