import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { pathOfAlias } from './store.ts'

/** Second names of projects, by which git finds them over SSH (contract 26.16). */
export const projectAliases: Module = {
  name: 'project-aliases',
  tags: { 'Project aliases': 'Second names of projects, by which git finds them over SSH; for administrators.' },
  operations: Object.values(operations),
}
