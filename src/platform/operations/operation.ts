import { operationsOf, type Subject as SubjectOf } from '../../api/index.ts'
import type { Platform } from '../platform.ts'
import { type Act, actOf } from './acts.ts'

/** Declares an operation. */
export const operation = operationsOf<Platform, { act: Act }>((spec, context) => ({ act: actOf(spec, context) }))

/** What an operation is about. */
export type Subject<S, A extends string> = SubjectOf<S, A, Platform>
