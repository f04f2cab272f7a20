/* What cuda_occupancy.h of NVIDIA's runtime says of a launch: resident blocks of an SM.

   Arguments: major, minor, threads, registers and bytes of shared memory of an SM, bytes of shared
   memory of a block that may be asked for and that are reserved, blocks of an SM (not used: the
   header has its own); threads of a block, registers of a thread, bytes of shared memory of a
   block, barriers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_occupancy.h>

int main(int count, char **words) {
  int n[13];
  struct cudaOccDeviceProp gpu;
  struct cudaOccFuncAttributes kernel;
  struct cudaOccDeviceState state;
  struct cudaOccResult found;
  if (count != 13) return 2;
  for (int i = 1; i < 13; ++i) n[i] = atoi(words[i]);
  memset(&gpu, 0, sizeof gpu);
  memset(&kernel, 0, sizeof kernel);
  memset(&state, 0, sizeof state);
  gpu.computeMajor = n[1];
  gpu.computeMinor = n[2];
  gpu.maxThreadsPerBlock = 1024;
  gpu.maxThreadsPerMultiprocessor = n[3];
  gpu.regsPerBlock = gpu.regsPerMultiprocessor = n[4];
  gpu.warpSize = 32;
  gpu.sharedMemPerBlock = 48 << 10;
  gpu.sharedMemPerMultiprocessor = n[5];
  gpu.sharedMemPerBlockOptin = n[6];
  gpu.reservedSharedMemPerBlock = n[7];
  gpu.numSms = 1;
  kernel.maxThreadsPerBlock = 1024;
  kernel.numRegs = n[10];
  kernel.numBlockBarriers = n[12];
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = n[11];
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&found, &gpu, &kernel, &state, n[9], n[11])) return 1;
  printf("%d\n", found.activeBlocksPerMultiprocessor);
  return 0;
}
