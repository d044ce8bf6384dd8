import { type Actor, requireSignedIn } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { lockAccounts } from '../accounts/administrators.ts'
import type { Profile } from '../accounts/params.ts'
import { requireUser } from '../directory/lookup.ts'
import { updateUser } from '../store.ts'
import type { UserRow } from '../tables.ts'

type Preferences = Pick<
  Profile,
  'view_diffs_file_by_file' | 'show_whitespace_in_diffs' | 'pass_user_identities_to_ci_jwt'
>

/** Preferences are columns of the account, so they have its id. */
function present({ id, profile }: UserRow) {
  return {
    id,
    user_id: id,
    view_diffs_file_by_file: profile.view_diffs_file_by_file ?? false,
    show_whitespace_in_diffs: profile.show_whitespace_in_diffs ?? true,
    pass_user_identities_to_ci_jwt: profile.pass_user_identities_to_ci_jwt ?? false,
  }
}

/** The preferences of the caller (contract 20, x.user_preferences_get). */
export async function getPreferences({ database }: Platform, actor: Actor) {
  return present(await requireUser(database.read, requireSignedIn(actor).userId))
}

/** Changes preferences of the caller (contract 20, x.user_preferences_put). */
export async function changePreferences({ database, clock }: Platform, actor: Actor, changes: Preferences) {
  const { userId } = requireSignedIn(actor)
  return database.write(async (tx) => {
    // The profile is a single column: without the lock, concurrent changes of it would overwrite each other.
    await lockAccounts(tx)
    const user = await requireUser(tx, userId)
    const profile = JSON.stringify({ ...user.profile, ...changes })
    return present((await updateUser(tx, user.id, { profile, updated_at: now(clock) })) ?? user)
  })
}
