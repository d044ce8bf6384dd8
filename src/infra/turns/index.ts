export { mapInTurns } from './turns.ts'
