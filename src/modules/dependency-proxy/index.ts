import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

/** The dependency proxy of groups, for clients that empty its cache: images of other registries are not cached here (contract 26.18). */
export const dependencyProxy: Module = {
  name: 'dependency-proxy',
  tags: { 'Dependency proxy': 'Copies of the images of other registries. None are kept here.' },
  operations: Object.values(operations),
}
