import { type Actor, isAdministrator, object } from '../../../api/index.ts'
import type { ExportedLine, Platform } from '../../../platform/index.ts'
import type { UserRow } from '../tables.ts'
import { administrator, basic, detail, own, single, singleForAll, UserBasic, type UserView, users } from './fields.ts'
import { presentingUsers } from './presenting.ts'

const ifWhole = ({ isWhole }: UserView) => isWhole

/** The caller's own account: level P, level A for administrators. */
export const OwnUser = object('OwnUser', users, {
  ...basic,
  ...single,
  ...own,
  ...users.ifView(ifWhole, administrator),
})

/** One user: level U, level D for administrators. */
export const SingleUser = object('SingleUser', users, {
  ...basic,
  ...singleForAll,
  ...users.ifView(ifWhole, { ...own, ...administrator, ...detail }),
})

/** A user in the list: level B, level A for administrators. */
export const ListedUser = object('ListedUser', users, {
  ...basic,
  ...users.ifView(ifWhole, { ...single, ...own, ...administrator }),
})

/** A user that an administrator created or changed: level A. */
export const UserForAdministrators = object('UserForAdministrators', users, {
  ...basic,
  ...single,
  ...own,
  ...administrator,
})

/** A user at level B. */
export const presentUserBasic = UserBasic.present

/** The view in which users are presented to a reader; administrators see them whole. */
export async function userView(
  platform: Platform,
  reader: Actor,
  options: { isWhole?: boolean; withAttributes?: boolean | undefined } = {},
): Promise<UserView> {
  const administers = isAdministrator(reader)
  return {
    ...(await presentingUsers(platform)),
    db: platform.database.read,
    reader,
    isWhole: options.isWhole ?? administers,
    withAttributes: options.withAttributes === true && administers,
  }
}

/** A user to whom the files of an export refer (contract 14, `user_contributions`). */
export const exportedUser = ({ id, username, name, public_email }: UserRow): ExportedLine => ({
  ...{ id, username, name, public_email },
})
