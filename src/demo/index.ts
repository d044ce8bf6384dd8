export { demoPassword } from './fill.ts'
export { type DemoMade, DemoRefused, fillDemo } from './run.ts'
