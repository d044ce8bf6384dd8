export { restartDelays } from './restarts.ts'
