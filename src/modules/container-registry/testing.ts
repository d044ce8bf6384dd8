export { registryRows } from './images/testing.ts'
