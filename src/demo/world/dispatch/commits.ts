import type { Pushed } from '../../world-types.ts'
import { delays } from './delays.ts'
import { entering } from './entering.ts'
import { importing } from './importing.ts'

/** What was pushed to `main`, oldest first. */
export const pushed: readonly Pushed[] = [...entering, ...importing, ...delays]
