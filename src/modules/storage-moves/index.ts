import type { Module } from '../../platform/index.ts'
import { bulkJob } from './bulk.ts'
import { cleanUpJob } from './clean-up.ts'
import { moveJob } from './move.ts'
import { operations } from './operations.ts'

export { moveProjectTo } from './schedule.ts'

/** Moves of repositories between storages (contract 10). */
export const storageMoves: Module = {
  name: 'storage-moves',
  tags: { 'Storage moves': 'Moves of repositories between the storages of the server, for administrators.' },
  operations,
  jobs: [moveJob, cleanUpJob, bulkJob],
}
