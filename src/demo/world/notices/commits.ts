import type { Pushed } from '../../world-types.ts'
import { letters } from './letters.ts'
import { telephones } from './telephones.ts'

/** What was pushed to `main`, oldest first. */
export const pushed: readonly Pushed[] = [...letters, ...telephones]
