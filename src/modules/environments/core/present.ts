import { type Actor, computed, forms, from, nullable, object, of, type Static, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { BasicProject, type Project, presentBasicProject } from '../../projects/index.ts'
import { DeploymentOfEnvironment } from '../deployments/present.ts'
import { newestDeployments } from '../deployments/store.ts'
import type { EnvironmentRow } from '../tables.ts'
import { EnvironmentBasic } from './basic.ts'

type Last = Static<typeof DeploymentOfEnvironment> | null
/** @property last the newest deployments by environment, where they are shown */
type ListView = { project: Static<typeof BasicProject>; last?: ReadonlyMap<number, Last> }
const text = Type.String()
const shown = of<EnvironmentRow, ListView>()

const own = of<EnvironmentRow>().fields({
  ...EnvironmentBasic.fields,
  tier: text,
  state: text,
  auto_stop_at: forms.nullableTimestamp,
  description: forms.nullableString,
  auto_stop_setting: text,
})

/** An environment alone (contract 24, x.environments_get). */
export const EnvironmentDetail = object('EnvironmentDetail', of<EnvironmentRow & { last: Last }>(), {
  ...own,
  last_deployment: from(nullable(DeploymentOfEnvironment), 'last'),
})

/** An environment (contract 24, Environment). */
export const Environment = object('Environment', shown, {
  ...own,
  project: computed(BasicProject, (_row, { project }) => project),
  last_deployment: computed(Type.Optional(nullable(DeploymentOfEnvironment)), ({ id }, { last }) =>
    last ? (last.get(id) ?? null) : undefined,
  ),
})
export type PresentedEnvironment = Static<typeof Environment>

/** The newest deployments of environments of one project as they are shown, by environment. */
async function lastDeployments(
  platform: Platform,
  project: Project,
  reader: Actor,
  rows: readonly EnvironmentRow[],
): Promise<ReadonlyMap<number, Last>> {
  const ids = rows.map(({ id }) => id)
  const newest = await newestDeployments(platform.database.read, ids)
  const shown = await DeploymentOfEnvironment.presentAll(newest, { platform, project, reader })
  return new Map(newest.map(({ environment_id }, index) => [environment_id, shown[index] ?? null]))
}

/** Presents environments of one project, which is loaded once. @param withLast with their newest deployments */
export async function presentEnvironments(
  platform: Platform,
  project: Project,
  actor: Actor,
  rows: readonly EnvironmentRow[],
  withLast: boolean,
): Promise<PresentedEnvironment[]> {
  if (rows.length === 0) return []
  const view: ListView = { project: await presentBasicProject(platform, project, actor) }
  if (withLast) view.last = await lastDeployments(platform, project, actor, rows)
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
  const last = (await lastDeployments(platform, project, reader, [row])).get(row.id) ?? null
  return EnvironmentDetail.present({ ...row, last })
}
