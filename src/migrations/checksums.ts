/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '42021fccdc6f88f110c41cf0e7f6386c29e68ab402de84726f6bca51ed89419b',
    postgres: '02ad89a2449853161b97d72e492d7581cd861cadb878e085d9e805176f81d254',
  },
} as const
