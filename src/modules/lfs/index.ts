export { lfsProblems } from './check.ts'
export { lfsContent } from './content.ts'
export { createLfsModule, type LfsModule, type LfsModuleNeeds } from './module.ts'
export { lfsRoutes } from './routes.ts'
