import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

/** Agents of clusters with their tokens, as records (contract 26.13). */
export const clusterAgentsModule: Module = {
  name: 'cluster-agents',
  tags: {
    'Cluster agents': 'Agents of Kubernetes clusters and their tokens, as records: no server for agents exists here.',
  },
  operations: Object.values(operations),
}
