export { type Avatar, type AvatarOwner, type Avatars, createAvatars, readAvatar } from './avatars.ts'
export { createUserRows, type NewUser } from './create.ts'
export { type FirstBoot, firstBoot, type RootPassword, rootPassword, rootTokenFile } from './first-boot.ts'
export { commitIdentity, OwnUser, type PresentingUsers, presentUserBasic, UserBasic } from './present.ts'
export { presentingUsers } from './presenting.ts'
export type { ContributionMover, Contributor } from './removal.ts'
export { createSignIn, type SignIn } from './sign-in.ts'
export {
  anyUserExists,
  updateUser,
  userById,
  userByIdOrUsername,
  userByUsername,
  usersByEmails,
  usersByIds,
  usersByUsernames,
  usersWithAvatar,
} from './store/users.ts'
export { isKnownToExternal } from './store/visibility.ts'
export type { BotKind, Profile, UserRow, UserState } from './tables.ts'
export { createUsers, type Users, type UsersNeeds } from './users.ts'
