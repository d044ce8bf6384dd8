import { type Actor, computed, forms, object, of, type Static, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { BasicProject, type Project, presentBasicProject } from '../../projects/index.ts'
import type { EnvironmentRow } from '../tables.ts'

const text = Type.String()

/** An environment inside other objects (contract 24, EnvironmentBasic). */
export const EnvironmentBasic = object('EnvironmentBasic', of<EnvironmentRow>(), {
  id: forms.id,
  name: text,
  slug: text,
  external_url: forms.nullableString,
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
})

type ProjectView = { project: Static<typeof BasicProject> }
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
export const EnvironmentDetail = object('EnvironmentDetail', of<EnvironmentRow>(), own)

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
