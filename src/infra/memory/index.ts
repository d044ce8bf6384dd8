export { chunkPassed } from './chunks.ts'
