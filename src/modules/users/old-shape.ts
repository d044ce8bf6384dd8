// For modules of the old shape.
import type { Bound } from '../../platform/index.ts'
import type { signIn } from './sign-in/sign-in.ts'

export type SignIn = Bound<{ signIn: typeof signIn }>['signIn']
