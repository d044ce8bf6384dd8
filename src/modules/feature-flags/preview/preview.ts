import type { Static } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { allFeatures, type DeliveredStrategy } from '../unleash/delivery.ts'
import type { FlagPreview } from './present.ts'
import { isInRollout } from './rollout.ts'

/** Whom a strategy chooses. @property of null: it cannot be said of one user, as clients decide by session or by chance */
type Chosen = { percentage: number; users: readonly string[]; of(user: string): boolean | null }

function chosenBy({ name, parameters }: DeliveredStrategy): Chosen {
  const { groupId = '', stickiness = 'userId' } = parameters
  if (name === 'userWithId') {
    const users = parameters.userIds ? parameters.userIds.split(',') : []
    return { percentage: 0, users, of: (user) => users.includes(user) }
  }
  if (name === 'default') return { percentage: 100, users: [], of: () => true }
  const percentage = Number(parameters.rollout ?? parameters.percentage)
  const isByUser = stickiness === 'userId' || stickiness === 'default'
  const isSure = percentage === 0 || percentage === 100
  const among = (user: string) => (isByUser ? isInRollout(groupId, user, percentage) : null)
  return { percentage, users: [], of: (user) => (isSure ? percentage === 100 : among(user)) }
}

/** Whether one of the strategies chooses a user; null when none surely does and one might. */
function isOnFor(chosen: readonly Chosen[], user: string): boolean | null {
  const answers = chosen.map(({ of }) => of(user))
  return answers.includes(true) || (answers.includes(null) ? null : false)
}

/** How many users are shown by name. */
const mostUsers = 100

/**
 * For whom each flag of a project is on in an environment, as Unleash clients decide it (contract 24, x.feature_flags_preview).
 * @param asked without a user, nothing is said of one; without an environment, what clients get that name none
 */
export async function previewFlags(
  { database }: Platform,
  project: Project,
  { environment, user }: { environment?: string; user?: string },
): Promise<Static<typeof FlagPreview>[]> {
  const features = await allFeatures(database.read, project.id, environment || null)
  return features.map(({ name, enabled, strategies }) => {
    const chosen = enabled ? strategies.map(chosenBy) : []
    const users = [...new Set(chosen.flatMap((one) => one.users))]
    return {
      ...{ name, active: enabled, strategies: strategies.map((strategy) => strategy.name) },
      percentage: Math.max(0, ...chosen.map((one) => one.percentage)),
      ...{ users: users.slice(0, mostUsers), users_count: users.length },
      on: user ? isOnFor(chosen, user) : null,
    }
  })
}
