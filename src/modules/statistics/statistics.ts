import { type Actor, dayOf, forbidden, isAdministrator, requireSignedIn } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { countAssignedIssues } from '../issues/index.ts'
import { countRequestsOf } from '../merge-requests/index.ts'
import { countPendingTodos } from '../notes/index.ts'
import { sizeOfSites } from '../pages/index.ts'
import { sumSizes } from '../projects/index.ts'
import { requireUser } from '../users/index.ts'
import { type Associations, countAssociations, countInstance, countSignIns, type InstanceCount } from './store.ts'

/** Digits with commas between thousands. */
const digits = (count: number) => Number(count).toLocaleString('en-US')

/** Counts over the whole instance, as text (contract 20, x.app_statistics). */
export async function instanceStatistics({ database }: Platform): Promise<Record<InstanceCount, string>> {
  const counts = await countInstance(database.read)
  const entries = Object.entries(counts).map(([name, count]) => [name, digits(count)])
  return Object.fromEntries(entries) as Record<InstanceCount, string>
}

const dayMs = 86_400_000
const shownDays = 30

/** How many users signed in for the last time on each of the last days (contract 20, x.sign_in_statistics). */
export async function latestSignIns({ database, clock }: Platform): Promise<{ day: string; users: number }[]> {
  const today = clock.now().getTime()
  const days = Array.from({ length: shownDays }, (_, index) => dayOf(new Date(today - (shownDays - 1 - index) * dayMs)))
  return countSignIns(database.read, days)
}

/** What all projects store, in bytes (contract 20, x.storage_statistics). */
export async function storedBytes({ database }: Platform) {
  const [sizes, pages] = await Promise.all([sumSizes(database.read), sizeOfSites(database.read)])
  return { ...sizes, pages }
}

/** What waits for the caller (contract 20, x.user_counts). */
export async function workOf(platform: Platform, actor: Actor) {
  const { userId } = requireSignedIn(actor)
  const [issues, requests, todos] = await Promise.all([
    countAssignedIssues(platform, actor),
    countRequestsOf(platform, actor),
    countPendingTodos(platform.database.read, userId),
  ])
  return {
    merge_requests: requests.assigned,
    assigned_issues: issues,
    assigned_merge_requests: requests.assigned,
    review_requested_merge_requests: requests.reviews,
    todos,
  }
}

/** What belongs to a user (contract 20, x.users_assoc_count). @throws ApiError 404; 403 for other users */
export async function associationsOf(platform: Platform, actor: Actor, userId: number): Promise<Associations> {
  const { database, clock } = platform
  const { id } = await requireUser(database.read, userId)
  if (!isAdministrator(actor) && requireSignedIn(actor).userId !== id) throw forbidden()
  const counts = await countAssociations(database.read, id, dayOf(clock.now()))
  const entries = Object.entries(counts).map(([name, count]) => [name, Number(count)])
  return Object.fromEntries(entries) as Associations
}
