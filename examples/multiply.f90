! SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
! Copyright 2026 The tilewright authors
! gfortran multiply.f90 -ltilewright_blas
program multiply
    implicit none
    external :: dgemm
    double precision :: a(2, 3), b(3, 2), c(2, 2)
    integer :: i

    a = reshape([1d0, 4d0, 2d0, 5d0, 3d0, 6d0], [2, 3])
    b = reshape([1d0, 0d0, 1d0, 0d0, 1d0, 1d0], [3, 2])
    call dgemm('N', 'N', 2, 2, 3, 1d0, a, 2, b, 3, 0d0, c, 2)
    do i = 1, 2
        print '(2(f0.0, 1x))', c(i, :)
    end do
end program multiply
