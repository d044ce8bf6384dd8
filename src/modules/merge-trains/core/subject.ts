import { forbidden } from '../../../api/index.ts'
import { hasTier } from '../../../config.ts'
import type { Platform } from '../../../platform/index.ts'
import { type ProjectRow, type ProjectSubject, project, settingsOf } from '../../projects/index.ts'

/** Whether the settings of a project ask for merge trains (contract 26.3). */
function asksForTrains(row: ProjectRow): boolean {
  const { merge_trains_enabled: hasTrains, merge_pipelines_enabled: hasPipelines } = settingsOf(row)
  return hasTrains && hasPipelines
}

/** Whether a project merges by trains: its settings ask for them, and the tier of the server has them. */
export const hasTrains = ({ config }: Platform, row: ProjectRow): boolean =>
  hasTier(config.edition, 'premium') && asksForTrains(row)

/** A project that has merge trains; others are refused by 403. */
export const projectWithTrains: ProjectSubject = {
  ...project,
  async authorize(actor, found, ability) {
    await project.authorize(actor, found, ability)
    if (!asksForTrains(found)) throw forbidden()
  },
}
