export { expectOwnHostKeys, expectOwnPlaces } from './instance.ts'
export { forgetPlaces } from './store.ts'
