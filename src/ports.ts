import { authenticate, impersonate } from './modules/tokens/index.ts'
import type { Ports } from './platform/index.ts'

/** Who answers what lower modules ask of higher ones: one function for each question. */
export const ports: Ports = {
  'request.authenticate': authenticate,
  'request.impersonate': impersonate,
}
