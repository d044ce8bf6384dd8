export { pushImage } from '../../../src/demo/clients/images.ts'
