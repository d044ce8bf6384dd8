// For modules of the old shape.
import type { Bound } from '../../platform/index.ts'
import type { putAvatar, removeOtherAvatars } from './avatars/avatars.ts'
import type { signIn } from './sign-in/sign-in.ts'

export type Avatars = Bound<{ put: typeof putAvatar; removeOthers: typeof removeOtherAvatars }>
export type SignIn = Bound<{ signIn: typeof signIn }>['signIn']
