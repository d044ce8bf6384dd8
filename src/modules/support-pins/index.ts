import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

/** PINs by which users identify themselves to the support of the server (contract 26.11). */
export const supportPins: Module = {
  name: 'support-pins',
  tags: { 'Support PINs': 'Six digits by which a user identifies themselves to the support of the server.' },
  operations: Object.values(operations),
}
